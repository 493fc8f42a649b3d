import { expect, test } from 'vitest'
import { OfflineHttp } from './offline-http.ts'

test('nobody is asked anything', async () => {
  const http = new OfflineHttp()

  expect(await http.send()).toEqual({ kind: 'refused', reason: 'this installation sends nothing' })
})
