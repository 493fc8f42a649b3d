import { expect, test } from 'vitest'
import { terminates } from '../../../test/harness/watchdog.ts'
import { readPartHead } from './part-head.ts'

const contentId = (value: string) => readPartHead([{ name: 'content-id', value }], 'text/plain').contentId

test('a Content-ID stands between brackets, with or without them', () => {
  expect(['<a@b>', 'a@b', '<<a@b>>', '< a@b >', '<>', '<', '>a>b<'].map(contentId)).toEqual([
    ...['a@b', 'a@b', 'a@b', 'a@b', null, null, '>a>b<'],
  ])
})

test('brackets are looked at once, however many there are', () => {
  const many = '>'.repeat(3_000_000)

  expect(terminates(() => contentId(`a${many}`))).toBe('a')
  expect(terminates(() => contentId(`${many}a`))).toBeNull()
})
