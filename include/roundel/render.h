#pragma once
/// Pictures of scenes, in memory and in files.
#include "renderer/frame_encoder.h"
#include "renderer/machine.h"
#include "renderer/render.h"
