// Brings the pictures: in scripts, because pages opened from the file system may read nothing else.
const KEPT_PAIRS = 4;   // decoded pairs kept in memory
const KEPT_TILES = 48;  // of a large picture
const TILE = 512;       // pixels a side
const LAYERS = ['golden', 'actual', 'difference', 'flip'];
const arrivals = new Map();
window.roundelPictures = (index, pictures) => arrivals.set(String(index), pictures);
window.roundelTile = (index, number, pictures) => arrivals.set(`${index}-${number}`, pictures);

async function arrival(path, key) {
  const script = Object.assign(document.createElement('script'), {src: path});
  try {
    await new Promise((resolve, reject) => {
      script.onload = resolve;
      script.onerror = () => reject(new Error('cannot load ' + path));
      document.head.append(script);
    });
    return arrivals.get(key);
  } finally {
    script.remove();
    arrivals.delete(key);
  }
}

async function decodeLayers(pictures) {
  const names = LAYERS.filter(name => pictures[name]);
  const decoded = await Promise.all(names.map(name => decodePicture(pictures[name])));
  const layers = Object.fromEntries(names.map((name, i) => [name, decoded[i]]));
  if (layers.difference) putFaded(layers.golden, layers.difference);
  return layers;
}

// {index, factor, width, height, places, allPlaces, tiles, golden, actual, difference, flip}. Where
// factor is not 1 the layers are reduced by it, and tiles has those that are there in full:
// numbers, with their layers once they are loaded.
async function loadPair(index) {
  const {file, tiles = []} = run.failures[index].pictures;
  const pictures = await arrival(file, String(index));
  const layers = await decodeLayers(pictures);
  const side = name => Math.max(layers.golden?.[name] ?? 0, layers.actual?.[name] ?? 0);
  const places = pictures.places.map(([x, y, width, height, pixels, peakX, peakY]) =>
      ({x, y, width, height, pixels, peak: {x: peakX, y: peakY}}));
  return {index, factor: pictures.factor, width: side('width'), height: side('height'), places,
          allPlaces: pictures.all_places, tiles: new Set(tiles), loaded: new Map(), ...layers};
}

const pairs = new Map();
function pairOf(index) {
  const pair = pairs.get(index) ?? loadPair(index);
  pairs.delete(index);  // to the end: the most recent
  pairs.set(index, pair);
  pair.catch(() => pairs.delete(index));
  for (const old of [...pairs.keys()].slice(0, -KEPT_PAIRS)) pairs.delete(old);
  return pair;
}

// The layers of the tile with this pixel, where they are loaded; otherwise they are on their way.
function tileAt(pair, x, y) {
  const number = Math.floor(y / TILE) * Math.ceil(pair.width / TILE) + Math.floor(x / TILE);
  const layers = pair.loaded.get(number);
  if (!layers && pair.tiles.has(number)) loadTile(pair, number);
  return layers instanceof Promise ? undefined : layers;
}

function loadTile(pair, number) {
  const path = run.failures[pair.index].pictures.file.replace(/\.js$/, `-${number}.js`);
  const tile = arrival(path, `${pair.index}-${number}`).then(decodeLayers);
  pair.loaded.set(number, tile);
  showLoading(tile);
  tile.then(layers => {
    pair.loaded.delete(number);  // to the end
    pair.loaded.set(number, layers);
    for (const old of [...pair.loaded.keys()].slice(0, -KEPT_TILES)) pair.loaded.delete(old);
    if (shown.pair === pair) paint();
  }, error => tellProblem(error));
}

// ---- What is on its way is said.
let loading = 0;
function showLoading(promise) {
  const change = by => {
    loading += by;
    document.getElementById('loading').hidden = loading === 0;
  };
  change(1);
  promise.then(() => change(-1), () => change(-1));
}
