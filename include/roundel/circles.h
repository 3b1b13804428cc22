#pragma once
/// The circles of a scene's frames, as arrays.
#include "renderer/generate/circle_rows.h"
#include "renderer/generate/generate.h"
