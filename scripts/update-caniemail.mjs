// Turns the data of caniemail.com, as the npm package `caniemail` carries it, into what the checks of a message read:
//
//   node scripts/update-caniemail.mjs [version]
//
// Of each mail client the last version that was tested counts; one that stays the same over several numbered versions is written as
// a range (`2007–2019`). A feature is a line of text: three characters for each client, which are what it does with the feature
// (y, n, a for partly, u for unknown, - for not tested) and the place of its version in the list. That is 60 kB instead of 650.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const target = fileURLToPath(new URL('../src/mail/checks/caniemail/', import.meta.url))
const version = process.argv[2] ?? 'latest'
const folder = mkdtempSync(join(tmpdir(), 'caniemail-'))
try {
  execFileSync('npm', ['pack', '--silent', `caniemail@${version}`], { cwd: folder })
  execFileSync('tar', ['xzf', readdirSync(folder)[0]], { cwd: folder })
  const read = (file) => readFileSync(join(folder, 'package', file), 'utf8')
  const support = compact(JSON.parse(read('data/caniemail.json')))
  const source = `caniemail ${JSON.parse(read('package.json')).version}`
  writeFileSync(join(target, 'data.json'), `${JSON.stringify({ source, ...support }, null, 1)}\n`)
  writeFileSync(
    join(target, 'LICENSE'),
    `Data of https://www.caniemail.com, Copyright (c) 2019 HTeuMeuLeu, by the npm package caniemail.\n\n${read('LICENSE')}`,
  )
  execFileSync('npx', ['biome', 'format', '--write', target], { stdio: 'ignore' })
  console.log(
    `${source} of ${support.updated}: ${Object.keys(support.features).length} features, ${support.clients.length} clients`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function compact({ last_update_date, nicenames, data }) {
  const clients = [
    ...new Set(
      data.flatMap(({ stats }) =>
        Object.entries(stats).flatMap(([family, platforms]) =>
          Object.keys(platforms).map((platform) => `${family} ${platform}`),
        ),
      ),
    ),
  ].sort()
  const versions = []
  const features = {}
  for (const { slug, title, stats } of data.sort((a, b) => (a.slug < b.slug ? -1 : 1))) {
    const support = clients.map((client) => {
      const [family, platform] = client.split(' ')
      const tested = Object.entries(stats[family]?.[platform] ?? {}).sort(([a], [b]) =>
        a.localeCompare(b, 'en', { numeric: true }),
      )
      if (tested.length === 0) return '-00'
      const [status, name] = lastOf(tested)
      if (!versions.includes(name)) versions.push(name)
      return status + versions.indexOf(name).toString(36).padStart(2, '0')
    })
    features[slug] = [title.trim(), support.join('')]
  }
  return {
    updated: last_update_date.slice(0, 10),
    clients: clients.map((client) => {
      const [family, platform] = client.split(' ')
      return `${nicenames.family[family]}, ${nicenames.platform[platform]}`
    }),
    versions,
    features,
  }
}

/** A date says when it was tested, and is no version. */
function lastOf(tested) {
  const [last, status] = tested.at(-1)
  let first = tested.length - 1
  while (first > 0 && tested[first - 1][1][0] === status[0]) first -= 1
  const isDate = /^\d{4}-\d\d/.test(last)
  return [status[0], isDate || first === tested.length - 1 ? last : `${tested[first][0]}–${last}`]
}
