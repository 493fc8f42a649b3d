import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT, type Lifetime, POSTWREN, Program } from './program.ts'
import { eventually, temporaryFolder } from './service.ts'

// Runs the commands that a page of the documentation shows, as a reader would: in a shell, in the order of the page. A block that begins with
// ```sh is run; what readers only look at is ```text, or has no language.

/** A block of commands of a page. */
export interface PageBlock {
  /** The heading above it, without its signs. */
  readonly heading: string
  /** Where it begins: `docs/page.md:12`. */
  readonly place: string
  readonly script: string
}

export interface BlockResult {
  readonly code: number | string
  /** What it has printed, on stdout and stderr. */
  readonly output: string
}

const FENCE = /^(\s*)(`{3,}|~{3,})\s*(\S*)/

/** The blocks of commands in a page, top to bottom. */
export function blocksOf(page: string): PageBlock[] {
  const blocks: PageBlock[] = []
  let heading = ''
  let open: { fence: string; indent: string; language: string; line: number; lines: string[] } | null = null
  for (const [index, line] of readFileSync(page, 'utf8').split('\n').entries()) {
    const fence = FENCE.exec(line)
    if (open && fence && fence[2]!.startsWith(open.fence) && fence[3] === '') {
      const place = `${page}:${open.line}`
      if (open.language === 'sh') blocks.push({ heading, place, script: open.lines.join('\n') })
      open = null
    } else if (open) open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line)
    else if (fence) open = { indent: fence[1]!, fence: fence[2]!, language: fence[3]!, line: index + 1, lines: [] }
    else if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '')
  }
  return blocks
}

/**
 * A shell in which the blocks of a page are run one after the other. Exported variables and the folder go on to the next block; `postwren` is
 * that of this checkout.
 */
export class PageShell {
  readonly #folder: string
  readonly #environment: Record<string, string>
  readonly #lifetime: Lifetime

  constructor({
    environment = {},
    cwd,
    lifetime = 'test',
  }: {
    readonly environment?: Record<string, string>
    /** Where the reader is; a folder of its own unless said otherwise. */
    readonly cwd?: string
    readonly lifetime?: Lifetime
  } = {}) {
    this.#lifetime = lifetime
    this.#folder = temporaryFolder({ lifetime })
    const command = POSTWREN.map((word) => `'${word}'`).join(' ')
    writeFileSync(join(this.#folder, 'postwren'), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 })
    writeFileSync(this.#state, `cd '${cwd ?? this.#folder}'\n`)
    this.#environment = { ...environment, PATH: `${this.#folder}:${process.env.PATH}` }
  }

  get #state(): string {
    return join(this.#folder, 'state')
  }

  /** Fails as a whole when one of its commands does. */
  async run({ script }: Pick<PageBlock, 'script'>): Promise<BlockResult> {
    const around = [
      `. '${this.#state}'`,
      `trap '{ export -p; printf "cd %q\\n" "$PWD"; } >"${this.#state}.next" && mv "${this.#state}.next" "${this.#state}"' EXIT`,
      script,
    ]
    const program = new Program(['bash', '-euo', 'pipefail', '-c', around.join('\n')], {
      cwd: CHECKOUT,
      environment: this.#environment,
      lifetime: this.#lifetime,
    })
    const code = await program.ended()
    return { code, output: program.stdout + program.complaints.join('\n') }
  }

  /** For a block that looks at something which takes a moment: runs it until it says so. */
  async runUntil(block: PageBlock, words: RegExp): Promise<BlockResult> {
    let result: BlockResult = { code: 0, output: '' }
    try {
      await eventually(async () => {
        result = await this.run(block)
        return result.code === 0 && words.test(result.output)
      })
    } catch (error) {
      throw new Error(`${block.place} never printed ${words}:\n${result.output}`, { cause: error })
    }
    return result
  }
}
