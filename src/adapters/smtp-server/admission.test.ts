import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { Admission } from './admission.ts'

const newSocket = () => new EventEmitter() as unknown as Socket

test('there is a limit for all and one for each client, and who leaves makes room', () => {
  const admission = new Admission({ sessions: 3, sessionsPerAddress: 2 })
  const [first, second] = [newSocket(), newSocket()]

  expect([first, second].map((socket) => admission.admit(socket, '192.0.2.1'))).toEqual([true, true])
  expect(admission.admit(newSocket(), '192.0.2.1')).toBe(false)
  expect(admission.admit(newSocket(), '192.0.2.2')).toBe(true)
  expect(admission.admit(newSocket(), '192.0.2.3')).toBe(false)
  first.emit('close')
  first.emit('close')

  expect(admission.size).toBe(2)
  expect(admission.admit(newSocket(), '192.0.2.1')).toBe(true)
})
