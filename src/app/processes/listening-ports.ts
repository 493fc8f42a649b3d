import { Server } from 'node:net'

interface Handle {
  close(): void
}

/**
 * The ports that the supervisor listens on for its processes. Node closes one when the last process has let go of it: until then it takes
 * connections for processes that stop, and in the end resets them (24 of 24 that came during a stop, Node 20), so that their clients cannot tell whether a request was
 * done. One that is refused was not. Made before the first process: it remembers what begins to listen from then on.
 */
export class ListeningPorts {
  readonly #handles = new Set<Handle>()

  constructor() {
    const handles = this.#handles
    const { listen } = Server.prototype
    Server.prototype.listen = function (this: Server, ...given: unknown[]) {
      // Node's own listener takes the handle away from the server.
      this.prependOnceListener('listening', () => {
        const { _handle: handle } = this as Server & { readonly _handle?: Handle }
        if (handle) handles.add(handle)
      })
      return (listen as (...given: unknown[]) => Server).apply(this, given)
    } as typeof listen
  }

  /** No connection is taken any more. What is closed already stays so. */
  close() {
    for (const handle of this.#handles) handle.close()
    this.#handles.clear()
  }
}
