import { expect, test } from 'vitest'
import { ENDPOINTS } from '../index.ts'
import { PERMISSIONS } from './permissions.ts'

test('a permission names endpoints that there are', () => {
  const ids = new Set(ENDPOINTS.map(({ id }) => id))

  expect([...PERMISSIONS.sending_access].filter((id) => !ids.has(id))).toEqual([])
  expect([...ids].filter((id) => !PERMISSIONS.full_access.has(id))).toEqual([])
})
