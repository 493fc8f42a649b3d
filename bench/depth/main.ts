import { printReport, type Row } from '../report.ts'
import { bytesOfEmail } from './sizes.ts'
import { startOutside } from './stage.ts'

interface DepthOptions {
  readonly emails: number
  /** Which parts; none: all of them. */
  readonly names: readonly string[]
  readonly isForMachines: boolean
}

export async function depth({ names, isForMachines }: DepthOptions) {
  const outside = await startOutside()
  const rows: Row[] = []
  const wants = (name: string) => names.length === 0 || names.includes(name)
  if (wants('bytes')) rows.push(...(await bytesOfEmail(outside)))
  await outside.sink.stop()
  await outside.receiver.stop()
  printReport(rows, isForMachines)
}
