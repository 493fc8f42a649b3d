import { expect, test } from 'vitest'
import { makeGate } from '../../../test/harness/gate.ts'
import { Sample } from './sample.ts'

test('many askers, one question', async () => {
  const gate = makeGate()
  let questions = 0
  const sample = new Sample(async () => {
    questions++
    await gate.opened
    return 'answer'
  })

  const asked = [sample.get(), sample.get(), sample.get()]
  gate.open()

  expect(await Promise.all(asked)).toEqual(['answer', 'answer', 'answer'])
  expect(await sample.get()).toBe('answer')
  expect(questions).toBe(1)
})

test('what is not fresh any more is asked for again', async () => {
  let questions = 0
  const sample = new Sample(async () => ++questions, { freshMs: 0 })

  expect([await sample.get(), await sample.get()]).toEqual([1, 2])
})

test('an answer that does not come is not waited for, and not asked for a second time meanwhile', async () => {
  const gate = makeGate()
  let questions = 0
  const sample = new Sample(
    async () => {
      questions++
      await gate.opened
    },
    { waitMs: 1 },
  )

  expect([await sample.get(), await sample.get()]).toEqual([undefined, undefined])
  expect(questions).toBe(1)
  gate.open()
})

test('a question that fails is no answer, and asked again', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve('back')]
  const sample = new Sample(() => answers.shift()!)

  expect([await sample.get(), await sample.get()]).toEqual([undefined, 'back'])
})
