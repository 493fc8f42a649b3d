import { EventEmitter } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { BodyTurns } from './body-turns.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Requests that are admitted and not answered. */
function begin() {
  const turns = new BodyTurns()
  const admitted: { bytes: number; raw: EventEmitter }[] = []
  const ask = async (team: string, bytes: number) => {
    const raw = Object.assign(new EventEmitter(), { destroyed: false, writableFinished: false })
    const request = { headers: { 'content-length': String(bytes) } } as unknown as FastifyRequest
    await turns.admit(team, request, { raw } as unknown as FastifyReply)
    admitted.push({ bytes, raw })
  }
  return { ask, admitted }
}

test('two large bodies of a team that is alone are read at a time', async () => {
  const { ask, admitted } = begin()

  for (let n = 0; n < 4; n++) void ask('a', 500_000)
  await turn()
  expect(admitted).toHaveLength(2)

  admitted[0]!.raw.emit('finish')
  await turn()
  expect(admitted).toHaveLength(3)
})

test('and one at a time while another team asks; what is small does not wait', async () => {
  const { ask, admitted } = begin()

  await ask('b', 100)
  for (let n = 0; n < 4; n++) void ask('a', 500_000)
  await ask('a', 100)
  expect(admitted).toHaveLength(3)

  admitted.find(({ bytes }) => bytes > 100)!.raw.emit('finish')
  await turn()
  expect(admitted).toHaveLength(4)
})
