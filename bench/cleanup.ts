type Undo = () => void | Promise<void>

const undos: Undo[] = []
let ending: Promise<void> | null = null

/** Remembers what to undo when the benchmark ends, in whatever way. Returns how to undo it earlier. */
export function atEnd(undo: Undo): () => Promise<void> {
  let done: Promise<void> | null = null
  const once = () => (done ??= Promise.resolve(undo()))
  undos.push(once)
  return once
}

/** Undoes everything, the latest first. Asked again (an impatient Ctrl-C) it is still the same one. */
export function cleanUp(): Promise<void> {
  ending ??= (async () => {
    for (let undo = undos.pop(); undo; undo = undos.pop())
      await Promise.resolve(undo()).catch((error: unknown) => console.error(error))
  })().finally(() => {
    // Another run in this process has things of its own.
    ending = null
  })
  return ending
}
