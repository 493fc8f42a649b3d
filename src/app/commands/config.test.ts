import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readSettings } from '../../platform/settings/sources.ts'
import { configShow } from './config.ts'

function folderOf(files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return (name: string) => join(folder, name)
}

async function show(environment: Record<string, string>, { configFile = '', json = false } = {}) {
  const settings = readSettings(environment, { dotEnvFile: '/nowhere/.env', ...(configFile && { configFile }) })
  const lines: string[] = []
  let stderr = ''
  const before = process.exitCode
  const listening = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += text
    return true
  })
  try {
    await configShow.report(settings, { flags: { json }, print: (line) => lines.push(line) })
    return { stdout: lines.join('\n'), stderr, code: process.exitCode ?? 0 }
  } finally {
    process.exitCode = before
    listening.mockRestore()
  }
}

test('says each value and where it comes from, without secrets', async () => {
  const path = folderOf({
    key: 'ab'.repeat(32),
    own: 'POSTWREN_HOST=0.0.0.0\nPOSTWREN_PUBLIC_URL=https://mail.example.com',
  })
  const environment = {
    POSTWREN_PORT: '8080',
    POSTWREN_SECRET_KEY_FILE: path('key'),
    POSTWREN_DATABASE_URL: 'postgres://postwren:hunter2@db/mail',
  }

  const { stdout, stderr, code } = await show(environment, { configFile: path('own') })

  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^setting +value +from$/m)
  expect(stdout).toMatch(/^POSTWREN_PORT +8080 +environment$/m)
  expect(stdout).toMatch(new RegExp(`^POSTWREN_HOST +0\\.0\\.0\\.0 +file ${path('own')}$`, 'm'))
  expect(stdout).toMatch(new RegExp(`^POSTWREN_SECRET_KEY +\\*\\*\\* +POSTWREN_SECRET_KEY_FILE ${path('key')}$`, 'm'))
  expect(stdout).toMatch(/^POSTWREN_DATABASE_URL +postgres:\/\/postwren:\*\*\*@db\/mail +environment$/m)
  expect(stdout).toMatch(/^POSTWREN_RELAY_URL +unset +default$/m)
  expect(stdout).toMatch(/^POSTWREN_GIVE_UP_AFTER +72h +default$/m)
  expect(stdout).not.toMatch(/hunter2|abab/)
})

test('says which settings are wrong, of all of them, and shows the others', async () => {
  const { stdout, stderr, code } = await show({
    POSTWREN_PORT: 'http',
    POSTWREN_PROT: '1',
    POSTWREN_API_KEY: 'hunter2',
    POSTWREN_SECRET_KEY: 'hunter2',
    POSTWREN_SECRET_KEY_FILE: '/nowhere',
  })

  expect(code).toBe(1)
  expect(stdout).toMatch(/^POSTWREN_PORT +http +environment \(wrong\)$/m)
  expect(stdout).toMatch(/^POSTWREN_HOST +127\.0\.0\.1 +default$/m)
  expect(stderr.trim().split('\n').sort()).toEqual([
    'POSTWREN_API_KEY must start with `re_`, then letters, digits, `_` or `-`.',
    'POSTWREN_PORT must be a whole number from 0 to 65535, not `http`.',
    'POSTWREN_PROT is not a setting. Did you mean POSTWREN_PORT?',
    'POSTWREN_SECRET_KEY and POSTWREN_SECRET_KEY_FILE are both set: leave one of them out.',
  ])
  expect(stdout).not.toContain('hunter2')
})

test('says what does not go together', async () => {
  expect(await show({ POSTWREN_DELIVERY: 'relay' })).toMatchObject({
    code: 1,
    stderr: 'POSTWREN_RELAY_URL is needed when POSTWREN_DELIVERY is `relay`.\n',
  })
})

test('tells programs the same', async () => {
  const { stdout, code } = await show({ POSTWREN_PORT: '8080', POSTWREN_PROT: '1' }, { json: true })
  const { settings, ...rest } = JSON.parse(stdout)

  expect(code).toBe(1)
  expect(rest).toEqual({
    object: 'config',
    ok: false,
    config_file: null,
    unknown: [{ name: 'POSTWREN_PROT', message: expect.any(String), source: 'environment', path: null }],
    errors: ['POSTWREN_PROT is not a setting. Did you mean POSTWREN_PORT?'],
  })
  expect(settings).toContainEqual({
    ...{ name: 'POSTWREN_PORT', value: '8080', source: 'environment', path: null, is_secret: false, error: null },
  })
})
