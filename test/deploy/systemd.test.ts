import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/platform/settings/config.ts'
import { temporaryFolder } from '../harness/service.ts'
import { hasTool } from '../harness/tools.ts'

const UNIT = readFileSync('deploy/systemd/postwren.service', 'utf8')
const SETTINGS_FILE = readFileSync('deploy/systemd/postwren.conf', 'utf8')

const hasSystemd = hasTool('systemd-analyze', ['--version'], 'The unit for systemd is not tested')

/** With a program that is there: it is looked for. */
function unitFile(): string {
  const file = join(temporaryFolder(), 'postwren.service')
  writeFileSync(file, UNIT.replace('/usr/bin/postwren serve', '/bin/true serve'))
  return file
}

test.skipIf(!hasSystemd)('systemd takes every line of the unit', () => {
  const { stdout, stderr, status } = spawnSync('systemd-analyze', ['verify', unitFile()], { encoding: 'utf8' })

  expect(`${stdout}${stderr}`).toBe('')
  expect(status).toBe(0)
})

/** In tenths. What is left: it has the network, and JavaScript is compiled while it runs. */
const MAX_EXPOSURE = 17

test.skipIf(!hasSystemd)('the unit lets the service do little besides its work', () => {
  const words = ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, unitFile()]
  const { stdout, status } = spawnSync('systemd-analyze', words, { encoding: 'utf8' })

  expect(stdout).toContain('Overall exposure level')
  expect(status).toBe(0)
})

test('the settings that come with it are settings, also those that are commented out', () => {
  const names = [...SETTINGS_FILE.matchAll(/^#?(POSTWREN_\w+)=(.*)$/gm)]
  const environment = Object.fromEntries(names.map(([, name, value]) => [name!, value!]))
  const { POSTWREN_SECRET_KEY_FILE: _file, ...plain } = environment

  expect(names.length).toBeGreaterThan(5)
  expect(loadConfig(plain)).toMatchObject({ DATA_DIR: '/var/lib/postwren', DELIVERY: 'direct' })
})
