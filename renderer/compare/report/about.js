// Text about a failure.
function number(value, digits = 4) {
  return value === null || value === undefined ? '∞' : Number(value.toPrecision(digits)).toString();
}

function measureTexts(difference) {
  if (!difference || !difference.channels) return [];
  const {box, densest} = difference;
  const place = at => `${at.width}×${at.height} at (${at.x}, ${at.y})`;
  const share = 100 * difference.pixels_over / (difference.width * difference.height);
  const texts = [['size', `${difference.width}×${difference.height}`],
                 ['differing pixels', `${grouped(difference.pixels_over)} (${number(share, 3)} %)`]];
  if (difference.pixels !== difference.pixels_over) texts.push(['… at all', grouped(difference.pixels)]);
  if (difference.antialiased) texts.push(['by antialiasing', grouped(difference.antialiased)]);
  if (difference.ignored) texts.push(['ignored', `${grouped(difference.ignored.pixels)}, of which ${grouped(difference.ignored.different)} differ`]);
  for (const [name, channel] of Object.entries(difference.channels)) {
    texts.push([name, `largest ${number(channel.largest)}, mean ${number(channel.mean)}`]);
  }
  texts.push(['RMSE', number(difference.rmse)], ['PSNR', number(difference.psnr_db) + ' dB']);
  if (box) texts.push(['within', place(box)], ['densest', `${grouped(densest.pixels)} in ${place(densest)}`]);
  if (difference.not_finite > 0) texts.push(['NaN or infinity', grouped(difference.not_finite)]);
  if (difference.flip) texts.push(['ꟻLIP', 'mean ' + number(difference.flip.mean)]);
  if (difference.ssim !== undefined) texts.push(['SSIM', number(difference.ssim)]);
  return texts;
}

function largestOf(difference) {
  return Math.max(...Object.values(difference.channels).map(channel => channel.largest));
}

// Returns the size of the difference: "12 pixels by up to 3". Empty if nothing was measured.
function magnitude({difference}) {
  if (!difference?.channels) return '';
  const {pixels_over: pixels, not_finite: notFinite} = difference;
  const by = notFinite > 0 ? 'NaN or infinity' : number(largestOf(difference));
  return `${plural(pixels, 'pixel')} by up to ${by}`;
}

// Notes on the values of each kind of file.
const SAMPLE_NOTES = {
  words: 'values have 16 bits, 0 to 65535; the measures use levels of 255',
  floats: 'values are the files\' own floats',
};

const paragraph = (text, className = '') => element('p', {className}, text);

// A renamed picture is one failure, with the golden of its old name.
const nameOf = ({name, was}) => was ? `${name} (was ${was})` : name;

// Returns what is above the picture: the explanation shows its first line.
function describe(failure) {
  const parts = [element('h2', {}, nameOf(failure), ' ', element('span', {className: 'state ' + failure.state.replace(' ', '-')}, failure.state))];
  for (const reason of failure.reasons) parts.push(paragraph(reason, 'reason'));
  if (failure.origin) parts.push(paragraph(failure.origin, 'origin'));
  if (failure.explanation) {
    const [first, ...rest] = failure.explanation;
    parts.push(rest.length === 0 ? paragraph(first, 'explanation')
                                 : element('details', {className: 'explanation'}, element('summary', {}, first), element('pre', {}, rest.join('\n'))));
  }
  if (failure.left_out) parts.push(paragraph('the pictures are left out: ' + failure.left_out));
  return parts;
}

// Returns what is below the picture.
function describeMore(failure) {
  const parts = [];
  if (failure.rule) parts.push(paragraph('rule: ' + failure.rule));
  if (failure.accept) parts.push(element('p', {}, 'to accept: ', element('code', {}, failure.accept)));
  return parts;
}

function describePair(pair) {
  const parts = [];
  const samples = (pair.golden ?? pair.actual).samples;
  if (pair.factor > 1) parts.push(`${pair.width}×${pair.height} is too large for this page: shown ${pair.factor} times smaller, without values. Differing pixels stay in sight`);
  else if (samples in SAMPLE_NOTES) parts.push(SAMPLE_NOTES[samples]);
  return parts.map(text => element('p', {}, text));
}

function measures(failure) {
  return measureTexts(failure.difference).map(([name, text]) => element('span', {}, name + ' ', element('b', {}, text)));
}

// Announces visible changes to screen readers.
function announce(id, text) {
  byId(id).textContent = text;
}

function verdictOf(failure) {
  return [failure.name, failure.state, magnitude(failure), ...failure.reasons].filter(Boolean).join(', ');
}

function tellProblem(error) {
  byId('about').append(element('p', {className: 'reason'}, error.message));
}
