// A bundle is a copy of what it is made of, and most licenses ask for one thing: to go with each copy.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { root } from './prepare.mjs'

const PACKAGE = /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/

/** Writes LICENSES.txt into the folder, with the license of each package that one of the files is from, and of what lies beside one. */
export function writeLicenses(folder, files) {
  // A bundler's plug-in puts its name in front of files that it loads itself.
  const texts = new Map(files.flatMap((file) => licenseFor(resolve(root, file.replace(/^\0|^[a-z-]{2,}:/, '')))))
  const all = [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([title, text]) => `${title}\n\n${text.trim()}\n`)
  writeFileSync(join(folder, 'LICENSES.txt'), all.join(`\n${'-'.repeat(80)}\n\n`))
}

/** Of ours, only what is somebody else's has one beside it. */
function licenseFor(file) {
  const packaged = PACKAGE.exec(file)?.[0]
  if (packaged) return [licenseOfPackage(packaged)]
  const beside = join(dirname(file), 'LICENSE')
  return dirname(file) !== root && existsSync(beside)
    ? [[dirname(file).slice(root.length + 1), readFileSync(beside, 'utf8')]]
    : []
}

function licenseOfPackage(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  const text = file ? readFileSync(join(folder, file), 'utf8') : 'Its package has no text of the license.'
  return [`${name} ${version} (${license})`, text]
}
