// Draws the app's icon, the workbench's own mark on a white tile: node packaging/icon.mjs
import { writeFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';

const size = 1024;
const fine = 4; // samples a pixel, each way
const blue = [0x0b, 0x62, 0xc4];

/** The colour and cover at a point of a 32 x 32 square. */
function at(x, y) {
  const [dx, dy] = [Math.max(Math.abs(x - 16) - 8, 0), Math.max(Math.abs(y - 16) - 8, 0)];
  if (Math.hypot(dx, dy) > 6.5) return null;
  const r = Math.hypot(x - 16, y - 16);
  return r <= 3.6 || Math.abs(r - 8.8) <= 1.6 ? blue : [255, 255, 255];
}

const rows = Buffer.alloc(size * (size * 4 + 1));
for (let y = 0; y < size; y++) {
  for (let x = 0; x < size; x++) {
    const sum = [0, 0, 0];
    let cover = 0;
    for (let i = 0; i < fine * fine; i++) {
      const c = at(
        ((x + ((i % fine) + 0.5) / fine) / size) * 32,
        ((y + (Math.floor(i / fine) + 0.5) / fine) / size) * 32,
      );
      if (c === null) continue;
      cover++;
      c.forEach((v, k) => (sum[k] += v));
    }
    const o = y * (size * 4 + 1) + 1 + x * 4;
    sum.forEach((v, k) => (rows[o + k] = cover === 0 ? 0 : Math.round(v / cover)));
    rows[o + 3] = Math.round((cover * 255) / (fine * fine));
  }
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const head = Buffer.alloc(13);
head.writeUInt32BE(size, 0);
head.writeUInt32BE(size, 4);
head.set([8, 6, 0, 0, 0], 8);
const png = [
  Buffer.from('89504e470d0a1a0a', 'hex'),
  chunk('IHDR', head),
  chunk('IDAT', deflateSync(rows, { level: 9 })),
  chunk('IEND', Buffer.alloc(0)),
];
writeFileSync(new URL('icon.png', import.meta.url), Buffer.concat(png));
