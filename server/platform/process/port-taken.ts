/** A port that another program uses: reported to the operator in a sentence that names the setting. */
export class PortTaken extends Error {
  constructor(port: number, setting: string) {
    super(`Port ${port} is taken: another program listens there. Set ${setting} to a free port.`)
    this.name = 'PortTaken'
  }
}
