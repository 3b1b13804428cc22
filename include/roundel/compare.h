#pragma once
/// Pictures compared: how they differ, and whether that is within limits.
#include "renderer/compare/picture.h"
#include "renderer/compare/picture_difference.h"
