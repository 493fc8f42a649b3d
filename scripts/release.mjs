// Cuts a release: the version everywhere it stands, and what the changelog has under "Unreleased" under its name.
//   node scripts/release.mjs 0.2.0            changes the files; then: git commit -am 'release: 0.2.0' && git tag v0.2.0
//   node scripts/release.mjs --check 0.2.0    fails unless all of them say 0.2.0
//   node scripts/release.mjs --notes 0.2.0    prints its part of the changelog
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const CHANGELOG = 'CHANGELOG.md'
const NUMBER = '\\d+\\.\\d+\\.\\d+(?:-(?:alpha|beta|rc)[\\w.]*)?'

/** Where the version stands; the text before and after it. */
const PLACES = [
  ['package.json', '"version": "', '",'],
  ['package-lock.json', '"name": "postwren",\\n  "version": "', '",'],
  ['package-lock.json', '"": \\{\\n      "name": "postwren",\\n      "version": "', '",'],
  ['examples/playwright/package.json', '"postwren": "', '"'],
  ['examples/vitest/package.json', '"postwren": "', '"'],
  ['deploy/kubernetes/base/kustomization.yaml', 'newTag: ', '\\n'],
  ['deploy/helm/postwren/Chart.yaml', '\\nversion: ', '\\n'],
  ['deploy/helm/postwren/Chart.yaml', '\\nappVersion: ', '\\n'],
  ['compose.yaml', 'postwren/postwren:', '\\n', 'all'],
  ['compose.yaml', 'VERSION: ', '\\n', 'all'],
  ['compose.direct.yaml', 'VERSION: ', '\\n', 'all'],
  ['compose.direct.yaml', 'postwren/postwren:', '\\n', 'all'],
  ['README.md', 'postwren/postwren:', '', 'all'],
  ['docs/operations/install-image.md', 'postwren/postwren:', '', 'all'],
  ['docs/operations/install-linux.md', 'postwren[-_]', '[-_](?:linux|amd64)', 'all'],
].filter(([file]) => existsSync(file))

const pattern = ([, before, after, count], flags = count === 'all' ? 'g' : '') =>
  new RegExp(`(?<=${before})${NUMBER}(?=${after})`, flags)

function fail(message) {
  console.error(message)
  process.exit(1)
}

/** The part of the changelog under this heading, without the heading. */
function sectionOf(changelog, heading) {
  const [, section] = changelog.split(new RegExp(`^## ${heading.replaceAll('.', '\\.')}(?: .*)?$`, 'm'))
  return section?.split(/^## /m)[0].trim()
}

function check(version) {
  const wrong = PLACES.flatMap((place) => {
    const found = readFileSync(place[0], 'utf8').match(pattern(place, 'g')) ?? ['no version']
    return found.filter((text) => text !== version).map((text) => `${place[0]} says ${text}`)
  })
  if (!sectionOf(readFileSync(CHANGELOG, 'utf8'), version)) wrong.push(`${CHANGELOG} has no section ${version}`)
  if (wrong.length > 0) fail(`This is not ${version}:\n${[...new Set(wrong)].join('\n')}`)
}

function cut(version, date) {
  const changelog = readFileSync(CHANGELOG, 'utf8')
  if (!sectionOf(changelog, 'Unreleased'))
    fail(`${CHANGELOG} has nothing under "Unreleased": there is nothing to release.`)
  if (sectionOf(changelog, version) !== undefined) fail(`${CHANGELOG} has ${version} already.`)
  for (const place of PLACES) {
    const text = readFileSync(place[0], 'utf8')
    if (!pattern(place).test(text)) fail(`${place[0]} has no version where one was expected.`)
    writeFileSync(place[0], text.replace(pattern(place), version))
  }
  writeFileSync(CHANGELOG, changelog.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} (${date})`))
  console.log(`Now: npm run docs && git commit -am 'release: ${version}' && git tag v${version}`)
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean' }, notes: { type: 'boolean' }, date: { type: 'string' } },
})
const [version = ''] = positionals
if (!new RegExp(`^${NUMBER}$`).test(version)) fail('Usage: node scripts/release.mjs [--check | --notes] VERSION')
if (values.check) check(version)
else if (values.notes)
  console.log(sectionOf(readFileSync(CHANGELOG, 'utf8'), version) ?? fail(`${CHANGELOG} has no section ${version}.`))
else cut(version, values.date ?? new Date().toISOString().slice(0, 10))
