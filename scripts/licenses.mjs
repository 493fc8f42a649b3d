// A bundle is a copy of what it is made of, and most licenses ask for one thing: to go with each copy.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './prepare.mjs'

const PACKAGE = /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/

/** Writes LICENSES.txt into the folder, with the license of each package that one of the files is from. */
export function writeLicenses(folder, files) {
  const folders = files.map((file) => PACKAGE.exec(file.replace(/^\0/, ''))?.[0]).filter((found) => found !== undefined)
  const texts = new Map(folders.map((found) => licenseOf(found.startsWith('node_modules') ? join(root, found) : found)))
  const all = [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([title, text]) => `${title}\n\n${text.trim()}\n`)
  writeFileSync(join(folder, 'LICENSES.txt'), all.join(`\n${'-'.repeat(80)}\n\n`))
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = existsSync(folder) && readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  return [
    `${name} ${version} (${license})`,
    file ? readFileSync(join(folder, file), 'utf8') : 'Its package has no text of the license.',
  ]
}
