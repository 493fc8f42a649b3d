import { expect, test } from 'vitest'
import { shownSettings } from './shown-settings.ts'
import { readSettings } from './sources.ts'

const show = (environment: Record<string, string>) =>
  Object.fromEntries(
    shownSettings(readSettings(environment, { dotEnvFile: '/nowhere/.env' })).map((one) => [one.name, one]),
  )

test.each([
  [
    'DATABASE_URL',
    'postgres://postwren:hunter2@one:5432,two:5432/mail',
    'postgres://postwren:***@one:5432,two:5432/mail',
  ],
  ['DATABASE_URL', 'postgres://postwren:hun/ter2@host/mail', '***'],
  [
    'DATABASE_URL',
    'postgres://h/mail?user=a&password=hunter2&sslmode=require',
    'postgres://h/mail?user=a&password=***&sslmode=require',
  ],
  ['DATABASE_URL', 'mysql://postwren:hunter2@host/mail', '***'],
  ['RELAY_URL', 'smtp://user:hun@ter2@host:587', 'smtp://user:***@host:587'],
  ['RELAY_URL', 'smtps://hunter2@host', 'smtps://***@host'],
  ['S3_URL', 'https://key:hunter2@host/bucket?region=eu', 'https://key:***@host/bucket?region=eu'],
  ['SPAMD_URL', 'http://user:hunter2@host:11333', 'http://user:***@host:11333'],
  ['SPAMD_URL', 'http://host:11333', 'http://host:11333'],
  ['API_KEY', 're_hunter2hunter2hunter2', '***'],
  ['SECRET_KEY', 'hunter2', '***'],
  ['METRICS_TOKEN', 'https://hunter2hunter2/', '***'],
  ['AGENT_KEY', 'hunter2', '***'],
  ['OIDC', '[{"client_secret":"hunter2"}]', '***'],
  ['PORT', '8080', '8080'],
])('of %s=%s people see %s', (name, text, shown) => {
  const { value, origin } = show({ [`POSTWREN_${name}`]: text })[`POSTWREN_${name}`]!

  expect(value === null ? null : value.includes('hunter2')).toBe(false)
  expect([value, origin]).toEqual([shown, { source: 'environment' }])
})

test('defaults are shown, and a wrong setting does not keep the others from it', () => {
  const shown = show({ POSTWREN_RATE_LIMIT: 'none', POSTWREN_SECRET_KEY_FILE: '/nowhere/key' })

  expect(shown.POSTWREN_PORT).toMatchObject({ value: '4025', origin: { source: 'default' }, error: null })
  expect(shown.POSTWREN_RELAY_URL).toMatchObject({ value: null, error: null })
  expect(shown.POSTWREN_RATE_LIMIT!.error).toMatch(/^POSTWREN_RATE_LIMIT must be a whole number/)
  expect(shown.POSTWREN_SECRET_KEY!.error).toMatch(/^POSTWREN_SECRET_KEY_FILE: \/nowhere\/key cannot be read/)
})
