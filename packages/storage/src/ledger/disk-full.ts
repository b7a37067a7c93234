/** For a disk that is too full to write to. It has the operating system's code: see `isDiskFullFault`. */
export class DiskFull extends Error {
  readonly code = "ENOSPC";

  constructor() {
    super("the disk is full");
    this.name = "DiskFull";
  }
}
