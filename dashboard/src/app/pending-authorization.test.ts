import { beforeEach, expect, test, vi } from 'vitest'
import { memoryStorage } from '../../../test/harness/browser-storage.ts'
import { storePendingAuthorization, takePendingAuthorization } from './pending-authorization.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('localStorage', memoryStorage())
  return () => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  }
})

test('a page that was asked for before signing in is given back once', () => {
  storePendingAuthorization('?request=1')

  expect(takePendingAuthorization()).toBe('?request=1')
  expect(takePendingAuthorization()).toBeNull()
})

test('after ten minutes the request is no longer good, and it is forgotten', () => {
  storePendingAuthorization('?request=1')
  vi.advanceTimersByTime(10 * 60_000)

  expect(takePendingAuthorization()).toBeNull()
  expect(localStorage.length).toBe(0)
})
