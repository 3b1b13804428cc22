#pragma once
/// Scenes: read, checked, resolved; what is wrong is an InvalidScene with places. Their
/// fingerprints.
#include "renderer/base/error.h"
#include "renderer/format/format_errors.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/load_scene.h"
#include "renderer/scene/resolve_scene.h"
