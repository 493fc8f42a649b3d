import { kumomta } from './kumomta.ts'
import type { Strategy } from './pacer.ts'
import { postwren, postwrenWarmUp } from './postwren.ts'
import { powermta } from './powermta.ts'
import { reference } from './reference.ts'
import { unpaced } from './unpaced.ts'

export const STRATEGIES: readonly Strategy[] = [postwren, postwrenWarmUp, reference, kumomta, powermta, unpaced]
