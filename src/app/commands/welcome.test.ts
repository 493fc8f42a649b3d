import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { sql } from '../../kernel/db/sql.ts'
import { loadConfig } from '../../platform/settings/config.ts'
import { welcome } from './welcome.ts'

const KEY = 're_abcdefgh_secret'

const said = (isTerminal: boolean, dataDir = '/var/lib/postwren') =>
  welcome({
    config: loadConfig({ POSTWREN_DATA_DIR: dataDir }),
    ...{ port: 4025, smtpPorts: null, metricsPort: null, dashboardLink: null, firstKey: KEY, isTerminal },
  })

test('somebody at a terminal is shown the first key', () => {
  expect(said(true)).toContain(`  API key    ${KEY}\n             shown once, stored in /var/lib/postwren/api-key\n`)
  expect(said(true)).toContain(`"Authorization: Bearer ${KEY}"`)
})

test('the HTTPS port is named where there is one', () => {
  const parts = {
    port: 4025,
    smtpPorts: null,
    metricsPort: null,
    dashboardLink: null,
    firstKey: null,
    isTerminal: true,
  }
  const config = loadConfig({ POSTWREN_HOST: '0.0.0.0' })

  expect(welcome({ config, ...parts, httpsPort: 8443 })).toContain('  HTTPS      https://localhost:8443\n')
  expect(welcome({ config, ...parts, httpsPort: null })).not.toContain('HTTPS ')
})

test('a journal is told where the first key is, and not the key', () => {
  expect(said(false)).not.toContain(KEY)
  expect(said(false)).toContain('  API key    stored in /var/lib/postwren/api-key\n')
  expect(said(false)).toContain('"Authorization: Bearer $(cat /var/lib/postwren/api-key)"')
  expect(said(false, "/it's mine")).toContain(`$(cat '/it'\\''s mine/api-key')`)
})

test('a journal of what others can reach has no link that signs in', () => {
  const link = '?link=secret'
  const linkIn = (publicUrl: string, isTerminal: boolean) =>
    welcome({
      config: loadConfig({ POSTWREN_PUBLIC_URL: publicUrl }),
      ...{ port: 4025, smtpPorts: null, metricsPort: null, dashboardLink: link, firstKey: null, isTerminal },
    }).includes(link)

  expect(linkIn('https://mail.example.com', false)).toBe(false)
  expect(linkIn('https://mail.example.com', true)).toBe(true)
  expect(linkIn('http://localhost:4025', false)).toBe(true)
})

/** The path and the body of the call that newcomers copy. */
function exampleIn(text: string) {
  const [, path, body] = /curl http:\/\/localhost:4025(\/\S+) [\s\S]* -d '(.*)'/.exec(text)!
  return { url: path!, payload: JSON.parse(body!) }
}

test.each([
  {},
  { POSTWREN_HOLD: 'on' },
  { POSTWREN_DELIVERY: 'direct' },
  { POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: 'smtp://127.0.0.1:1' },
])('the example works with %j', async (settings) => {
  const app = await startApp(settings)
  const acme = await app.as('acme')
  await app.db.query(sql`delete from domains`)
  const text = welcome({
    config: loadConfig(settings),
    ...{ port: 4025, smtpPorts: null, metricsPort: null, dashboardLink: null, firstKey: KEY, isTerminal: true },
  })

  const { status } = await acme.send({ method: 'POST', ...exampleIn(text) })

  expect([200, 201]).toContain(status)
})

test('later starts know where the first key is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'api-key'), KEY)
  const later = (settings: Record<string, string> = {}) =>
    welcome({
      config: loadConfig({ POSTWREN_DATA_DIR: folder, ...settings }),
      ...{ port: 4025, smtpPorts: null, metricsPort: null, dashboardLink: null, firstKey: null, isTerminal: true },
    })

  expect(later()).toContain(`"Authorization: Bearer $(cat ${folder}/api-key)"`)
  expect(later({ POSTWREN_API_KEY: 're_another_one_of_the_operator' })).toContain('Bearer $POSTWREN_API_KEY"')
})

test('a port for mail that somebody else has is told where the port would be', () => {
  expect(said(true)).toContain(
    '  SMTP       not listening: port 2525 is in use; choose another with POSTWREN_SMTP_PORT\n',
  )
})
