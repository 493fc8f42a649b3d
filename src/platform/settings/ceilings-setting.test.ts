import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LOOPBACK_SOURCES, sourcesSetting } from '../../../test/harness/sources.ts'
import { loadConfig } from './config.ts'

const path = join(mkdtempSync(join(tmpdir(), 'ceilings-')), 'ceilings.json')

test('the file of ceilings is read, and its mistakes are one line that names file, line and key', () => {
  expect(loadConfig({}).CEILINGS).toEqual([])
  writeFileSync(path, '[{ "provider": "gmail", "rate": "100/s" }]')
  expect(loadConfig({ POSTWREN_CEILINGS: path }).CEILINGS).toMatchObject([
    { scope: { provider: 'gmail' }, values: { rate: 100 }, origin: 'file' },
  ])
  writeFileSync(path, '[\n  { "provider": "gmail",\n    "rte": "100/s" }]')
  expect(() => loadConfig({ POSTWREN_CEILINGS: path })).toThrow(
    `POSTWREN_CEILINGS has a mistake in ${path}:3: \`rte\` is not known`,
  )
  expect(() => loadConfig({ POSTWREN_CEILINGS: `${path}.missing` })).toThrow(
    'POSTWREN_CEILINGS must be the path of a file that can be read (ENOENT).',
  )
})

test('a source that the file of sources does not have is a mistake; without that file it may be that of another machine', () => {
  const load = (source: string, settings = {}) => {
    writeFileSync(path, `[\n  { "provider": "gmail",\n    "source": "${source}", "rate": "1/s" }]`)
    return loadConfig({ POSTWREN_CEILINGS: path, ...settings })
  }
  const settings = sourcesSetting({ sources: LOOPBACK_SOURCES })

  for (const source of ['two', 'TWO', '127.0.0.3']) expect(load(source, settings).CEILINGS).toHaveLength(1)
  expect(load('192.0.2.9').CEILINGS).toHaveLength(1)
  expect(() => load('192.0.2.9', settings)).toThrow(
    `POSTWREN_CEILINGS has a mistake in ${path}:3: \`source\` must be a source of POSTWREN_SOURCES, by its name or its address.`,
  )
})
