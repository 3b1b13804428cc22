// Draws circles with Skia, antialiased, through the canvas of npm's @napi-rs/canvas; see peer.h:
// node peer_skia.js CIRCLES.npy SIDE REPEATS. Its colours are texts, made before the timed part.
'use strict';
const fs = require('fs');
const {createCanvas} = require('@napi-rs/canvas');

const [path, side, repeats] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const file = fs.readFileSync(path);
const start = 10 + file.readUInt16LE(8);
const columns = 7;
const values = new Float32Array(file.buffer.slice(file.byteOffset + start, file.byteOffset + file.length));
const count = values.length / columns;
const styles = [];
for (let i = 0; i < count; ++i) {
  const byte = (c) => Math.round(255 * Math.min(Math.max(values[columns * i + c], 0), 1));
  styles.push(`rgba(${byte(4)},${byte(5)},${byte(6)},0.5)`);
}
const canvas = createCanvas(side, side);
const context = canvas.getContext('2d');

function draw() {
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, side, side);
  for (let i = 0; i < count; ++i) {
    context.fillStyle = styles[i];
    context.beginPath();
    context.arc(values[columns * i] * side, (1 - values[columns * i + 1]) * side, values[columns * i + 3] * side, 0,
                2 * Math.PI);
    context.fill();
  }
  context.getImageData(0, 0, 1, 1);  // completes the drawing
}

draw();
const times = [];
for (let i = 0; i < repeats; ++i) {
  const begin = process.hrtime.bigint();
  draw();
  times.push(Number(process.hrtime.bigint() - begin) / 1e6);
}
times.sort((a, b) => a - b);
console.log(`draw ${times[0].toFixed(3)} ${times[times.length >> 1].toFixed(3)}`);
