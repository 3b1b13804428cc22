#pragma once
/// Columns in memory as data of a scene: SceneOverrides::tables takes them.
#include "renderer/data/column_table.h"
