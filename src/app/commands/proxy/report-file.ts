import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurablySync } from '../../../platform/durable-file.ts'
import { isReport, type ReportData } from './report.ts'

export const reportFile = (folder: string) => join(folder, 'report.json')

/** Null: there is none yet. */
export function readReport(folder: string): ReportData | null {
  let text: string
  try {
    text = readFileSync(reportFile(folder), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    const value: unknown = JSON.parse(text)
    return isReport(value) ? value : null
  } catch {
    return null
  }
}

/** Replaces the one before it in one step: a crash leaves either. */
export function writeReport(folder: string, report: ReportData) {
  const draft = `${reportFile(folder)}.${process.pid}`
  writeDurablySync(draft, JSON.stringify(report))
  renameSync(draft, reportFile(folder))
}
