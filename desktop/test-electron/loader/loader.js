// A packaged Electron always loads what lies in its resources. This loads the folder
// that is named first on the command line, as `electron FOLDER` does elsewhere.
const { app } = require('electron');
const path = require('node:path');

const folder = path.resolve(process.argv.slice(1).find((a) => !a.startsWith('-')) ?? '.');
const about = require(path.join(folder, 'package.json'));
app.setName(about.productName ?? about.name);
app.setVersion(about.version);
app.setAppPath(folder);
require(path.join(folder, about.main));
