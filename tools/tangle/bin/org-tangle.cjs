#!/usr/bin/env node
'use strict'

var name = 'org-tangle'

var childProcess = require('child_process')
var fs = require('fs')
var path = require('path')

var here = fs.realpathSync(__dirname)
var isClone = here.split(path.sep).indexOf('node_modules') < 0

function numbersOf(text) {
  return (text.match(/\d+/g) || []).map(Number)
}

function wantedVersion() {
  if (isClone) return '24.2'
  var manifest = JSON.parse(fs.readFileSync(path.join(here, '../package.json'), 'utf8'))
  return manifest.engines.node.replace(/^[^\d]*/, '')
}

function isOlder(version, than) {
  var at = 0
  while (at < than.length && version[at] === than[at]) at++
  return at < than.length && (version[at] || 0) < than[at]
}

var places = [
  'node_modules/.bin/node',
  'node_modules/node/bin/node',
  'node_modules/node/bin/node.exe',
]
var running = fs.realpathSync(process.execPath)

function isOther(found) {
  return fs.existsSync(found) && fs.realpathSync(found) !== running
}

function broughtNode(folder) {
  var beside = places.map(function (place) {
    return path.join(folder, place)
  })
  var above = path.dirname(folder)
  return beside.filter(isOther)[0] || (above === folder ? null : broughtNode(above))
}

function runWith(node) {
  var env = Object.assign({}, process.env, { PASSEPARTOUT_NODE_GUARD: '1' })
  var words = [__filename].concat(process.argv.slice(2))
  var child = childProcess.spawn(node, words, { env: env, stdio: 'inherit' })
  process.on('SIGINT', function () {})
  process.on('SIGTERM', function () {
    child.kill('SIGTERM')
  })
  child.on('error', function (error) {
    console.error(name + ': ' + node + ' cannot be run: ' + error.message)
    process.exitCode = 1
  })
  child.on('exit', function (code, signal) {
    process.removeAllListeners('SIGINT')
    process.removeAllListeners('SIGTERM')
    if (signal === null) process.exitCode = code
    else process.kill(process.pid, signal)
  })
}

function advice() {
  if (!isClone) {
    return 'Install it from https://nodejs.org, or run once: npx -p node@26 -p ' + name + ' ' + name
  }
  var root = path.join(here, '../../..')
  return 'Run “npm ci” in ' + root + ', which brings the right one, and then “npx ' + name + '”.'
}

function version() {
  return JSON.parse(fs.readFileSync(path.join(here, '../package.json'), 'utf8')).version
}

function start(program) {
  if (process.argv.length === 3 && /^(-V|--version)$/.test(process.argv[2])) {
    console.log(version())
    return undefined
  }
  var wanted = wantedVersion()
  var isNewEnough = !isOlder(numbersOf(process.versions.node), numbersOf(wanted))
  if (isNewEnough) return import(program)
  var node = process.env.PASSEPARTOUT_NODE_GUARD ? null : broughtNode(here)
  if (node !== null) return runWith(node)
  var found = process.versions.node
  console.error(name + ' needs Node ' + wanted + ' or newer, and this is Node ' + found + '.')
  console.error(advice())
  process.exitCode = 1
}

void start('./org-tangle.js')
