import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { note } from '../progress.ts'
import { PEERS_FOLDER } from './folder.ts'

const MAX_INSTALL_MS = 10 * 60_000

/** Exact versions of the MIME libraries that these packages ask for are not in every registry. */
const OVERRIDES = { 'encoding-japanese': '2.4.0', libqp: '2.1.2', '@zone-eu/mailsplit': '5.4.19' }

/** Installs packages into a folder of their own, without their scripts. They are no dependencies of this project. */
export async function installPackages(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(PEERS_FOLDER, name)
  if (existsSync(folder)) return folder
  const partial = `${folder}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  writeFileSync(join(partial, 'package.json'), JSON.stringify({ private: true, overrides: OVERRIDES }))
  note(`npm install ${packages.join(' ')} in ${folder}`)
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', '--loglevel=error']
  await promisify(execFile)(process.platform === 'win32' ? 'npm.cmd' : 'npm', ['install', ...options, ...packages], {
    cwd: partial,
    timeout: MAX_INSTALL_MS,
  })
  renameSync(partial, folder)
  return folder
}
