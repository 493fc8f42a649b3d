import { serveThread } from '../../../src/platform/worker-threads/thread.ts'

// A program for threads whose works are what tests need: to answer, to ask, to hang, to fail, to take all memory.
serveThread({
  echo: async (value: unknown) => ({ result: value }),
  ask: async (question: unknown, ask) => ({ result: await ask(question) }),
  askTogether: async (questions: unknown[], ask) => ({ result: await Promise.all(questions.map(ask)) }),
  async hang() {
    for (;;);
  },
  async fail() {
    throw new Error('no')
  },
  async swell() {
    const pieces: string[][] = []
    for (;;) pieces.push(Array.from({ length: 100_000 }, (_, n) => `piece ${n}`))
  },
})
