#pragma once
/// The circles of a scene's frames, as arrays.
#include "renderer/circles/circle_rows.h"
#include "renderer/circles/generate.h"
