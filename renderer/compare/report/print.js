// Prints a failure per page, with golden, actual and difference.
const MAX_PRINTED = 200;        // limit of failures: each has its pictures loaded
const MAX_PRINTED_SIDE = 1200; // pixels of a picture's longer side; small ones are enlarged to half of it

// Returns a picture as on the screen, in its own proportions.
function figureOf(picture, label) {
  const surface = surfaceOf(picture, isOwn(label) ? shown.exposure : 0);
  const side = Math.max(surface.width, surface.height);
  const scale = Math.min(MAX_PRINTED_SIDE / side, Math.max(1, Math.floor(MAX_PRINTED_SIDE / 2 / side)));
  const paper = element('canvas', {width: Math.ceil(surface.width * scale), height: Math.ceil(surface.height * scale)});
  const context = paper.getContext('2d');
  if (picture.channels % 2 === 0) paintBackground(context, 0, 0, paper.width, paper.height);
  context.imageSmoothingEnabled = scale < 1;
  context.imageSmoothingQuality = 'high';
  context.drawImage(surface, 0, 0, paper.width, paper.height);
  return element('figure', {}, paper, element('figcaption', {}, label));
}

function sheetOf(failure, pair) {
  const labels = pair ? ['golden', 'actual', 'difference'].filter(name => pair[name]) : [];
  const figures = element('div', {className: 'figures'}, ...labels.map(name => figureOf(pair[name], name)));
  return element('section', {}, ...describe(failure), figures, element('div', {className: 'measures'}, ...measures(failure)), ...describeMore(failure));
}

function firstSheet() {
  const left = listed.length - Math.min(listed.length, MAX_PRINTED);
  const note = left > 0 ? [element('p', {}, `${grouped(left)} more failures are not printed; filter the list to choose.`)] : [];
  return element('section', {}, element('h1', {}, document.title), element('p', {}, [...byId('counts').children].map(one => one.textContent).join(', ')), ...note);
}

async function printAll() {
  const paper = byId('paper'), button = byId('print');
  const sheets = [firstSheet()];
  button.disabled = true;
  for (const index of listed.slice(0, MAX_PRINTED)) {
    const failure = run.failures[index];
    button.textContent = `Print: ${sheets.length} of ${Math.min(listed.length, MAX_PRINTED)}`;
    const pair = failure.pictures ? await loadPair(index).catch(() => null) : null;
    sheets.push(sheetOf(failure, pair));
  }
  button.textContent = 'Print';
  button.disabled = false;
  paper.replaceChildren(...sheets);
  window.print();
}

// The browser's own menu does not wait, so it prints the pictures loaded so far.
window.addEventListener('beforeprint', () => {
  if (byId('paper').hasChildNodes()) return;
  const sheets = listed.slice(0, MAX_PRINTED).map(index => sheetOf(run.failures[index], index === current ? shown.pair : null));
  byId('paper').replaceChildren(firstSheet(), ...sheets);
});
window.addEventListener('afterprint', () => byId('paper').replaceChildren());
byId('print').onclick = printAll;
