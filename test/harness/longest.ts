/** How long the longest of several took: to be printed, since no test compares times. */
export class Longest {
  ms = 0

  async of<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const began = performance.now()
    try {
      return await work()
    } finally {
      const ended = performance.now()
      this.ms = Math.max(this.ms, Math.round(ended - began))
    }
  }
}
