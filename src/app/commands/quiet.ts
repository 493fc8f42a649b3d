/** For short commands: what goes well is not worth a line. */
export const quiet = { info() {}, warn: (message: string) => void process.stderr.write(`${message}\n`) }
