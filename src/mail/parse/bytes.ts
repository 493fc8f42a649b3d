export const TAB = 0x09
export const LF = 0x0a
export const CR = 0x0d
export const SPACE = 0x20
export const DASH = 0x2d
export const EQUALS = 0x3d
