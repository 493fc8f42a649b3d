import { expect, test } from 'vitest'
import { RICH } from '../../test/harness/arriving.ts'
import { parseMail } from '../mail/parse.ts'
import { parseApart } from './mail-threads.ts'

test('a message reads the same in another thread', async () => {
  expect(await parseApart(RICH)).toEqual(await parseMail(RICH))
})

test('a part of a larger buffer is read, and stays as it was', async () => {
  const around = Buffer.concat([Buffer.from('before'), RICH, Buffer.from('behind')])

  const mail = await parseApart(around.subarray(6, 6 + RICH.length))

  expect(mail).toEqual(await parseMail(RICH))
  expect(around.subarray(6, 6 + RICH.length)).toEqual(RICH)
})
