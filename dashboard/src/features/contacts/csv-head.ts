/** Enough of a file to see its first lines. */
const HEAD_BYTES = 64 * 1024
/** Rows that show what a column holds. */
const SAMPLE_ROWS = 3

export interface CsvColumn {
  readonly name: string
  /** What the first rows have in it, without empty cells. */
  readonly samples: readonly string[]
}

/** The columns of a CSV file, with what its first rows say. The server reads the file itself; this is for showing them. */
export async function readColumns(file: Blob): Promise<CsvColumn[]> {
  const text = (await file.slice(0, HEAD_BYTES).text()).replace(/^\uFEFF/, '')
  const [header = ''] = linesOf(text, 1)
  const delimiter = [',', ';', '\t'].sort((one, other) => header.split(other).length - header.split(one).length)[0]!
  const [names = [], ...rows] = linesOf(text, 1 + SAMPLE_ROWS).map((line) => splitLine(line, delimiter))
  return names.flatMap((name, index) =>
    name ? [{ name, samples: rows.map((row) => row[index] ?? '').filter(Boolean) }] : [],
  )
}

/** The first lines that are not empty; one that is quoted may have several. */
function linesOf(text: string, count: number): string[] {
  const lines: string[] = []
  let isQuoted = false
  let start = 0
  for (let index = 0; index <= text.length && lines.length < count; index++) {
    if (text[index] === '"') isQuoted = !isQuoted
    if (index < text.length && (isQuoted || !/[\r\n]/.test(text[index]!))) continue
    if (index > start) lines.push(text.slice(start, index))
    start = index + 1
  }
  return lines
}

function splitLine(line: string, delimiter: string): string[] {
  const cells: string[] = ['']
  let isQuoted = false
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted
    else if (character === delimiter && !isQuoted) cells.push('')
    else cells[cells.length - 1] += character
  }
  return cells.map((cell) => cell.trim())
}

/** What a column probably holds, by its name. */
export function guess(column: string): string {
  const name = column.toLowerCase().replace(/[^a-z]/g, '')
  if (/^(e?mail|emailaddress|address)$/.test(name)) return 'email'
  if (/^(firstname|givenname|vorname|prenom)$/.test(name)) return 'first_name'
  if (/^(lastname|surname|familyname|nachname|nom)$/.test(name)) return 'last_name'
  if (/^(unsubscribed|optedout|optout)$/.test(name)) return 'unsubscribed'
  // As our own exports write them.
  if (['created_at', 'segments', 'topics'].includes(column)) return column
  return ''
}
