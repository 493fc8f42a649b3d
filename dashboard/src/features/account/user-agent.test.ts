import { expect, test } from 'vitest'
import { deviceName } from './user-agent.ts'

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)'
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
  [`${MAC} Chrome/130.0 Safari/537.36`, 'Chrome on Mac'],
  [`${MAC} Version/18.0 Safari/605.1.15`, 'Safari on Mac'],
  [`${WINDOWS} Chrome/130.0 Safari/537.36 Edg/130.0`, 'Edge on Windows'],
  [`${WINDOWS} Chrome/130.0 Safari/537.36 OPR/115.0`, 'Opera on Windows'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0', 'Firefox on Linux'],
  ['Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/130.0 Mobile Safari/604.1', 'Chrome on iPhone'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['x'.repeat(100), 'x'.repeat(40)],
])('%s', (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name)
})

test('no user agent is an unknown device', () => {
  expect([deviceName(null), deviceName('')]).toEqual(['Unknown', 'Unknown'])
})
