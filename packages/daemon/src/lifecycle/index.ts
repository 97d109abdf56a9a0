export { writeUnit } from './systemd-unit.ts'
