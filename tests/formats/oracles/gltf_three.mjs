// Skinned vertices as three.js sees them.
// usage: NODE_MODULES=.../node_modules node gltf_three.mjs < request.json > vertices.json
// request: [{file, clip, times: [s], every}]; answer, one for each: [[{node, count, xyz: [...]} a mesh] a
// time], every `every`-th vertex, world space. Textures are cut out before loading: no DOM is needed.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const modules = pathToFileURL(path.resolve(process.env.NODE_MODULES) + "/").href;
const THREE = await import(new URL("three/build/three.module.js", modules));
const { GLTFLoader } = await import(new URL("three/examples/jsm/loaders/GLTFLoader.js", modules));

globalThis.self = globalThis;
globalThis.ProgressEvent ??= class {};

function read(file) {
  const data = fs.readFileSync(file);
  let json, binary;
  if (data.toString("latin1", 0, 4) === "glTF") {
    const length = data.readUInt32LE(12);
    json = JSON.parse(data.toString("utf8", 20, 20 + length));
    binary = data.subarray(28 + length);
  } else {
    json = JSON.parse(data.toString("utf8"));
  }
  for (const [i, buffer] of (json.buffers ?? []).entries()) {
    const bytes = buffer.uri === undefined ? binary.subarray(0, buffer.byteLength)
      : buffer.uri.startsWith("data:") ? Buffer.from(buffer.uri.split(",")[1], "base64")
      : fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(buffer.uri)));
    json.buffers[i] = { byteLength: buffer.byteLength, uri: "data:application/octet-stream;base64," + bytes.toString("base64") };
  }
  delete json.textures;
  delete json.images;
  json.materials = (json.materials ?? []).map((m) => ({ name: m.name }));
  json.extensionsUsed = (json.extensionsUsed ?? []).filter((name) => name === "KHR_mesh_quantization");
  json.extensionsRequired = json.extensionsUsed;
  return JSON.stringify(json);
}

const loaded = new Map();
async function load(file) {
  if (!loaded.has(file)) {
    loaded.set(file, await new Promise((done, failed) => new GLTFLoader().parse(read(file), "", done, failed)));
  }
  return loaded.get(file);
}

function vertices({ scene, parser }, every) {
  const node = (object) => parser.associations.get(object)?.nodes ?? node(object.parent);
  scene.updateMatrixWorld(true);
  const meshes = [];
  const at = new THREE.Vector3();
  scene.traverse((object) => {
    if (!object.isMesh) return;
    if (object.isSkinnedMesh) object.skeleton.update();
    const count = object.geometry.attributes.position.count;
    const xyz = [];
    for (let i = 0; i < count; i += every) {
      object.getVertexPosition(i, at).applyMatrix4(object.matrixWorld);
      xyz.push(at.x, at.y, at.z);
    }
    meshes.push({ node: node(object), count, xyz });
  });
  return meshes;
}

const answers = [];
for (const { file, clip, times, every } of JSON.parse(fs.readFileSync(0, "utf8"))) {
  const gltf = await load(file);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const animation = gltf.animations[clip];
  if (animation) {
    const action = mixer.clipAction(animation);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
  }
  answers.push(times.map((time) => {
    mixer.setTime(time);
    return vertices(gltf, every);
  }));
  mixer.stopAllAction();
  mixer.uncacheRoot(gltf.scene);
}
console.log(JSON.stringify(answers));
