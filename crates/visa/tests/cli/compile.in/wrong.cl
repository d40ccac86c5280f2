kernel wrong k() {}
