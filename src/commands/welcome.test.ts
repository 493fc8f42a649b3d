import { expect, test } from 'vitest'
import { loadConfig } from '../platform/config.ts'
import { welcome } from './welcome.ts'

const KEY = 're_abcdefgh_secret'

const said = (isTerminal: boolean, dataDir = '/var/lib/postwren') =>
  welcome({
    config: loadConfig({ POSTWREN_DATA_DIR: dataDir }),
    ...{ port: 4025, smtpPorts: null, metricsPort: null, dashboardLink: null, firstKey: KEY, isTerminal },
  })

test('somebody at a terminal is shown the first key', () => {
  expect(said(true)).toContain(
    `  API key    ${KEY}\n             shown this once, and kept in /var/lib/postwren/api-key\n`,
  )
  expect(said(true)).toContain(`"Authorization: Bearer ${KEY}"`)
})

test('a journal is told where the first key is, and not the key', () => {
  expect(said(false)).not.toContain(KEY)
  expect(said(false)).toContain('  API key    kept in /var/lib/postwren/api-key\n')
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
