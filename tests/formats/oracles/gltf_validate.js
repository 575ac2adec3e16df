// Prints the Khronos validator's verdict on each file named, as one JSON object: {file: report}.
// usage: NODE_PATH=.../node_modules node gltf_validate.js FILE...
const fs = require("fs");
const path = require("path");
const validator = require("gltf-validator");

async function main() {
  const reports = {};
  for (const file of process.argv.slice(2)) {
    reports[file] = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
      uri: path.basename(file),
      maxIssues: 20,
      externalResourceFunction: async (uri) =>
        new Uint8Array(fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri)))),
    });
  }
  console.log(JSON.stringify(reports));
}

main();
