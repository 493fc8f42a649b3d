import { createLog } from '../../src/platform/observability/log.ts'

/** A log whose lines a test can read. */
export function readableLog(level = 'info') {
  const lines: Record<string, unknown>[] = []
  const log = createLog({
    level,
    isTerminal: false,
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  })
  return {
    log,
    /** Those with this message, without what every line has. */
    saying: (message: string) =>
      lines
        .filter(({ msg }) => msg === message)
        .map(
          ({
            level: _level,
            time: _time,
            msg: _msg,
            component: _component,
            node: _node,
            version: _version,
            ...facts
          }) => facts,
        ),
    /** All of it as text. */
    text: () => JSON.stringify(lines),
  }
}
