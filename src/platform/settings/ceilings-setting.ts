import type { CeilingRule } from '../../mail/providers/ceilings.ts'
import { readCeilingFile } from '../../mail/providers/read-ceilings.ts'
import { readSettingFile } from './setting-file.ts'

/** The rules in the file of this path. */
export const readCeilings = (path: string): readonly CeilingRule[] => readCeilingFile(path, readSettingFile(path))
