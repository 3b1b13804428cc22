// Loads pictures as scripts, since pages from the file system may read nothing else.
const MAX_PAIRS = 4;  // limit of decoded pairs in memory
const LAYERS = ['golden', 'actual', 'difference', 'flip'];
const arrivals = new Map();
window.roundelPictures = (index, pictures) => arrivals.set(index, pictures);

async function arrival(path, index) {
  const script = Object.assign(document.createElement('script'), {src: path});
  try {
    await new Promise((resolve, reject) => {
      script.onload = resolve;
      script.onerror = () => reject(new Error('cannot load ' + path));
      document.head.append(script);
    });
    return arrivals.get(index);
  } finally {
    script.remove();
    arrivals.delete(index);
  }
}

async function decodeLayers(pictures) {
  const names = LAYERS.filter(name => pictures[name]);
  const decoded = await Promise.all(names.map(name => decodePicture(pictures[name])));
  const layers = Object.fromEntries(names.map((name, i) => [name, decoded[i]]));
  if (pictures.max_delta !== undefined) layers.difference = marksOf(layers.golden, layers.actual, pictures.max_delta);
  if (layers.difference) putFaded(layers.golden, layers.difference);
  return layers;
}

// Returns {factor, width, height, places, allPlaces, golden, actual, difference, flip}, with layers
// reduced by factor.
async function loadPair(index) {
  const pictures = await arrival(run.failures[index].pictures.file, index);
  const layers = await decodeLayers(pictures);
  const side = name => Math.max(layers.golden?.[name] ?? 0, layers.actual?.[name] ?? 0);
  const places = pictures.places.map(([x, y, width, height, pixels, peakX, peakY]) =>
      ({x, y, width, height, pixels, peak: {x: peakX, y: peakY}}));
  return {factor: pictures.factor, width: side('width'), height: side('height'), places,
          allPlaces: pictures.all_places, ...layers};
}

const pairs = new Map();
function pairOf(index) {
  const pair = pairs.get(index) ?? loadPair(index);
  pairs.delete(index);  // moves it to the end, as the most recent
  pairs.set(index, pair);
  pair.catch(() => pairs.delete(index));
  for (const old of [...pairs.keys()].slice(0, -MAX_PAIRS)) pairs.delete(old);
  return pair;
}

// ---- Progress of loading.
let loading = 0;
function showLoading(promise) {
  const change = by => {
    loading += by;
    document.getElementById('loading').hidden = loading === 0;
  };
  change(1);
  promise.then(() => change(-1), () => change(-1));
}
