// Each call that counts has a mark at the line where its function begins:
// `//= FUNCTION KIND COUNT`, so many calls of a kind from this function, the innermost of the user.
const fs = require('fs');
const { Worker, isMainThread } = require('worker_threads');

function writeRows(file, n) { //= writeRows writes 5000
  const row = Buffer.alloc(1);
  for (let i = 0; i < n; i++)
    fs.writeSync(file, row);
}
function readSmall(name) { //= readSmall reads 3000
  const file = fs.openSync(name);
  const bytes = Buffer.alloc(1);
  for (let i = 0; i < 3000; i++)
    fs.readSync(file, bytes, 0, 1, 3000 - i);
  fs.closeSync(file);
}
class Box {
  constructor(name) {
    this.file = fs.openSync(name, 'w');
  }
  put(text) { //= put writes 2000
    fs.writeSync(this.file, text);
  }
  static each(names) { //= each lookups 0
    names.forEach((name) => fs.existsSync(name)); //= (anonymous) lookups 600
  }
}
const arrow = (file) => fs.writeSync(file, 'ä'); //= arrow writes 700
function deep(n, file) { //= deep writes 200
  if (n === 0) fs.writeSync(file, 'x');
  else deep(n - 1, file);
}
function inWorker() { //= inWorker writes 900
  const file = fs.openSync('worker', 'w');
  for (let i = 0; i < 900; i++)
    fs.writeSync(file, 'y');
}
if (isMainThread) {
  const file = fs.openSync('rows', 'w');
  writeRows(file, 5000);
  readSmall('rows');
  const box = new Box('box');
  for (let i = 0; i < 2000; i++)
    box.put('text');
  for (let i = 0; i < 200; i++)
    Box.each(['a', 'b', 'c']);
  for (let i = 0; i < 700; i++)
    arrow(file);
  for (let i = 0; i < 200; i++)
    deep(i % 30, file);
  new Worker(__filename);
} else {
  inWorker();
}
