import { feature } from '../feature.ts'
import { CELL_KEYS_SEALED } from './keys.ts'

export const cellsFeature = feature({ sealedColumns: [CELL_KEYS_SEALED] })
