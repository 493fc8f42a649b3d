import { expect, test } from 'vitest'
import { ENDPOINTS } from '../index.ts'
import { PERMISSIONS } from './permissions.ts'

test('a key for sending may call the endpoints that send', () => {
  const allowed = ENDPOINTS.filter(({ access }) => PERMISSIONS.sending_access.has(access)).map(({ id }) => id)

  expect(allowed.sort()).toEqual(['broadcasts.send', 'emails.batch', 'emails.dry-run', 'emails.send'])
})
